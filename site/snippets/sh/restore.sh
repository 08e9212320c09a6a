MASTER_KEY=… npm run -s ops -- restore --from /backups/2026-11-23
MASTER_KEY=… npm start
