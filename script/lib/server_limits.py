"""Flags of `carillon serve` for a server that one machine asks as much as it can."""

UNLIMITED = [
    "--registration-rate", "0", "--registration-new-devices-per-minute", "0",
    "--connections-per-address", "0",
    "--limits-api-key-rate", "0", "--limits-app-key-rate", "0", "--limits-device-rate", "0",
    "--limits-wrong-key-rate", "0", "--limits-costly", "0",
]
