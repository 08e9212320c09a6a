npx recado trigger message.status
npx recado trigger group.participants
