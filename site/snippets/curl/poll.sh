curl --fail-with-body -s "$RECADO_URL/v1/instances/$INSTANCE/messages/poll" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "to": "+55 11 99999-8888",
    "question": "Que horas?",
    "options": ["9h", "14h"],
    "maxSelections": 1
  }'
