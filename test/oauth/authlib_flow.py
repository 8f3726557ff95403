"""Signs in with Authlib's stock client: metadata (RFC 8414), registration (RFC 7591), code with PKCE, refresh."""

import sys
from urllib.parse import urlsplit

import httpx
from authlib.common.security import generate_token
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata

shop, redirect_uri = sys.argv[1:]
metadata = AuthorizationServerMetadata(httpx.get(f"{shop}/.well-known/oauth-authorization-server").json())
metadata.validate_response_types_supported()
metadata.validate_grant_types_supported()
metadata.validate_code_challenge_methods_supported()

registered = httpx.post(
    metadata["registration_endpoint"], json={"client_name": "Authlib", "redirect_uris": [redirect_uri]}
).json()
client = OAuth2Client(
    registered["client_id"],
    token_endpoint_auth_method="none",
    redirect_uri=redirect_uri,
    code_challenge_method="S256",
    token_endpoint=metadata["token_endpoint"],
)
verifier = generate_token(48)
address, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
decided = httpx.post(
    f"{shop}/shop/authorize",
    data={"request": urlsplit(address).query, "action": "start"},
    headers={"sec-fetch-site": "same-origin"},
)
assert decided.status_code == 303, decided.text
client.fetch_token(
    metadata["token_endpoint"],
    authorization_response=decided.headers["location"],
    code_verifier=verifier,
    state=state,
)
assert client.get(f"{shop}/account").status_code == 200
client.refresh_token(metadata["token_endpoint"], refresh_token=client.token["refresh_token"])
assert client.get(f"{shop}/account").status_code == 200
print("refreshed")
