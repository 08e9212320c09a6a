npx recado login
npx recado instances pair
