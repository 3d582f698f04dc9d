#!/bin/sh
# Makes the namespace and its search attributes where they are missing. Again is harmless.
# TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE are read by the Temporal CLI itself.
set -eu

tries=0
until said=$(temporal operator cluster health 2>&1); do
  tries=$((tries + 1))
  if [ "$tries" -ge 60 ]; then
    echo "Temporal at $TEMPORAL_ADDRESS is not well after two minutes: $said" >&2
    exit 1
  fi
  sleep 2
done

if ! temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
fi

# A new namespace is known to every part of the server only after some seconds.
tries=0
until said=$(temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" \
  --name AgentMode --name AgentPhase --name AgentWaiting --name AgentOutcome \
  --type Keyword --type Keyword --type Keyword --type Keyword 2>&1); do
  tries=$((tries + 1))
  if [ "$tries" -ge 30 ]; then
    echo "The search attributes could not be registered: $said" >&2
    exit 1
  fi
  sleep 2
done
echo "Namespace $TEMPORAL_NAMESPACE is ready."
