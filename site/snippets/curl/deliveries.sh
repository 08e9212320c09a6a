curl --fail-with-body -s "$RECADO_URL/v1/webhooks/$WEBHOOK/deliveries?outcome=failed" \
  -H "Authorization: Bearer $RECADO_KEY"
