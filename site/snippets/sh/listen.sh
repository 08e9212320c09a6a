npx recado listen --forward-to http://localhost:8080/recado
npx recado trigger message.received
