curl --fail-with-body -s -X POST "$RECADO_URL/v1/instances/$INSTANCE/scheduled-messages/$SCHEDULE/cancel" \
  -H "Authorization: Bearer $RECADO_KEY"
