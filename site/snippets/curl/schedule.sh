curl --fail-with-body -s "$RECADO_URL/v1/instances/$INSTANCE/scheduled-messages" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "sendAt": "'"$SEND_AT"'",
    "message": {"to": "+55 11 99999-8888", "text": "Sua consulta é hoje às 14h."}
  }'
