docker compose -f deploy/compose.yml --profile caddy up -d --build
