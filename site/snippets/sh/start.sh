npm install && npm start
