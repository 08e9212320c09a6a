npm run -s ops -- backup --to /backups/2026-11-23
