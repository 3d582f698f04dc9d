VERSION = (1, 4, 2)
USER_AGENT = "acme-export/1.4.2"
