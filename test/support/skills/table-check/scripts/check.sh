#!/bin/sh
awk -F, 'NR == 1 { n = NF } NF != n { print NR }' "$1"
