/**
 * The modules of the server, from left to right: a module imports only modules to its left. `app` and the two programs
 * wire everything.
 */
export const MODULES = [
  ['kernel'],
  ['platform'],
  ['model'],
  ['networks', 'company'],
  ['events'],
  ['instances', 'media'],
  ['messaging'],
  ['campaigns'],
  ['operations'],
  ['app'],
]
