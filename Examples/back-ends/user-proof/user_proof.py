"""The proof that a person may use a Carillon User id, for a back end in Python."""
import base64
import hashlib
import hmac
import json
import os
import sys
import time


def user_proof(identity_secret: str, app: str, user: str, expires: int) -> dict:
    """Signs a proof for the person who is logged in; `expires` is in seconds since 1970, a day ahead at most."""
    text = f"{app}\n{user}\n{expires}"
    code = hmac.new(identity_secret.encode(), text.encode(), hashlib.sha256).digest()
    return {"expires": expires, "signature": base64.urlsafe_b64encode(code).decode().rstrip("=")}


if __name__ == "__main__":
    app, user, *rest = sys.argv[1:]
    expires = int(rest[0]) if rest else int(time.time()) + 3600
    print(json.dumps(user_proof(os.environ["CARILLON_IDENTITY_SECRET"], app, user, expires)))
