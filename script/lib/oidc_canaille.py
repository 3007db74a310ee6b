"""canaille, an identity provider, with one person and one client in memory: PORT RETURN-ADDRESS.

Prints a line when it listens. The person is ana with the password below, in the group news.
"""
import datetime
import sys
import warnings

warnings.filterwarnings("ignore")

from canaille import create_app  # noqa: E402
from canaille.app import models  # noqa: E402
from joserfc.jwk import RSAKey  # noqa: E402
from werkzeug.serving import make_server  # noqa: E402

PASSWORD = "correct horse battery"


def main() -> None:
    port, back = int(sys.argv[1]), sys.argv[2]
    key = RSAKey.generate_key(2048, auto_kid=True)
    app = create_app(
        {
            "SECRET_KEY": "only for this test",
            "SERVER_NAME": f"127.0.0.1:{port}",
            "PREFERRED_URL_SCHEME": "http",
            "CANAILLE_DATABASE": "memory",
            "CANAILLE": {"DATABASE": "memory", "ENABLE_REGISTRATION": False, "SMTP": None},
            "CANAILLE_OIDC": {"ACTIVE_JWKS": [key.as_dict(private=True)], "REQUIRE_NONCE": True},
        }
    )
    backend = app.backend
    with app.app_context():
        ana = models.User(
            user_name="ana", formatted_name="Ana Ng", family_name="Ng", emails=["ana@example.org"], password=PASSWORD
        )
        backend.save(ana)
        backend.save(models.Group(display_name="news", members=[ana]))
        now = datetime.datetime.now(datetime.timezone.utc)
        client = models.Client(
            client_id="carillon",
            client_secret="client secret",
            client_name="Carillon",
            client_id_issued_at=now,
            contacts=["root@example.org"],
            redirect_uris=[back],
            grant_types=["authorization_code"],
            response_types=["code"],
            scope=["openid", "profile", "email", "groups"],
            token_endpoint_auth_method="client_secret_basic",
        )
        backend.save(client)
        # Whom its tokens are for: known by its key, which saving gives.
        client.audience = [client]
        backend.save(client)
    server = make_server("127.0.0.1", port, app, threaded=True)
    print("listening", flush=True)
    server.serve_forever()


main()
