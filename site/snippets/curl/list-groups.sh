curl --fail-with-body -s "$RECADO_URL/v1/instances/$INSTANCE/groups" \
  -H "Authorization: Bearer $RECADO_KEY"
