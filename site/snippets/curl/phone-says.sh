curl --fail-with-body -s "$RECADO_URL/v1/simulator/phones/$PHONE/messages" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"to": "'"$NUMBER"'", "text": "Oi! Ainda tem pão?"}'
