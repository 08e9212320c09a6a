// Loaded into the programs that tests and benchmarks start: ends them in order when the one that started them is gone.
// Seldom enough that one that is ending already, as after Ctrl-C, has ended by then.
const parent = process.ppid
const watch = setInterval(() => {
  if (process.ppid === parent) return
  clearInterval(watch)
  process.kill(process.pid, 'SIGTERM')
}, 5000)
watch.unref()
