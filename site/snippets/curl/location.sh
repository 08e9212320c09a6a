curl --fail-with-body -s "$RECADO_URL/v1/instances/$INSTANCE/messages/location" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "to": "+55 11 99999-8888",
    "latitude": -23.55052,
    "longitude": -46.633308,
    "name": "Praça da Sé"
  }'
