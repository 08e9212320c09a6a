// Loaded into the programs that tests and benchmarks start: ends them in order when the one that started them is gone.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
// Alone, it keeps no program from ending.
process.channel?.unref()
