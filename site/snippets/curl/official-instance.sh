curl --fail-with-body -s "$RECADO_URL/v1/instances" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"name": "Atendimento", "network": "cloud_api"}'
