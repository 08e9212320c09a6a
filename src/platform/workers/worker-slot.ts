/** The environment variable that tells a process which worker it is, counted from 1. Only `runWorkers` sets it. */
export const WORKER_SLOT = 'RECADO_WORKER'
