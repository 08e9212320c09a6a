curl --fail-with-body -s -X POST "$RECADO_URL/v1/campaigns/$CAMPAIGN/start" \
  -H "Authorization: Bearer $RECADO_KEY"
