#!/bin/sh
# Creates .env with generated secrets, and shop/ for the catalogue and the settings. What exists stays as it is.
#
#   ./setup.sh https://api.yourdomain.example
set -eu
cd "$(dirname "$0")"
umask 077
public_url=${1:-http://localhost:4020}
# shop/ is read by this user in the containers, which must not be root.
user=$(id -u):$(id -g)
[ "$user" != 0:0 ] || user=65532:65532
secret() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
encryption_key() { head -c 32 /dev/urandom | base64; }
domain=${public_url#https://}
mode=production
sandbox_secret=
if [ "$domain" = "$public_url" ]; then
  domain=
  mode=development
  sandbox_secret=whsec_$(secret)
fi

if [ ! -e .env ]; then
  cat >.env <<END
# Read by docker compose. Keep a copy in a safe place, and out of version control.
COMPOSE_PROJECT_NAME=sluice
SLUICE_IMAGE=${SLUICE_IMAGE:-}
SHOP_USER=$user
PUBLIC_URL=$public_url
DOMAIN=$domain
NODE_ENV=$mode
POSTGRES_PASSWORD=$(secret)
POSTGRES_OWNER_PASSWORD=$(secret)
POSTGRES_APP_PASSWORD=$(secret)
SANDBOX_WEBHOOK_SECRET=$sandbox_secret
END
  echo "Created .env"
fi

mkdir -p shop
if [ ! -e shop/shop.env ]; then
  cat >shop/shop.env <<END
# Settings of the shop: docs/settings.md. A changed file takes effect with: docker compose kill --signal HUP storefront
UPSTREAM_URL=
UPSTREAM_API_KEY=
ADMIN_TOKEN=adm_$(secret)
ENCRYPTION_KEYS=first=$(encryption_key)
STRIPE_SECRET_KEY=$([ -n "$sandbox_secret" ] && echo sk_test_sandbox)
STRIPE_WEBHOOK_SECRET=$sandbox_secret
$([ -n "$sandbox_secret" ] && echo STRIPE_API_BASE=http://sandbox:4022)
END
  echo "Created shop/shop.env: fill in your API and its key${sandbox_secret:+; cards are simulated}"
fi
[ -e shop/catalog.yaml ] || echo "Now put your catalogue into shop/catalog.yaml (sluice catalog import ... --out shop/catalog.yaml)"
[ "$(id -u)" != 0 ] || chown -R "$user" shop
