// `npm run bench [-- scenario [size]]`: runs one scenario, or all but `growth`. The size is in seconds unless noted.
const [name, seconds = '30'] = process.argv.slice(2)
const scenarios: Record<string, () => Promise<void>> = {
  send: async () => (await import('./send.ts')).benchSend(Number(seconds)),
  deliver: async () => (await import('./deliver.ts')).benchDeliver(Number(seconds)),
  fair: async () => (await import('./fair.ts')).benchFair(Number(seconds)),
  hostile: async () => (await import('./hostile.ts')).benchHostile(),
  ws: async () => (await import('./ws.ts')).benchWs(Number(seconds)),
  log: async () => (await import('./log.ts')).benchLog(Number(process.argv[3] ?? 30_000_000)),
  lists: async () => (await import('./lists.ts')).benchLists(Number(process.argv[3] ?? 1_000_000)),
  campaign: async () =>
    (await import('./campaign.ts')).benchCampaign(Number(process.argv[3] ?? 100_000)),
  soak: async () => (await import('./soak.ts')).benchSoak(Number(process.argv[3] ?? 600)),
  whatsapp: async () =>
    (await import('./whatsapp.ts')).benchWhatsApp(Number(process.argv[3] ?? 3000)),
  workers: async () => (await import('./workers.ts')).benchWorkers(Math.min(10, Number(seconds))),
  profile: async () =>
    (await import('./profile.ts')).benchProfile(Number(seconds), process.argv.includes('--check')),
  start: async () => (await import('./start.ts')).benchStart(),
  restore: async () => (await import('./restore.ts')).benchRestore(Number(process.argv[3] ?? 0.1)),
  growth: async () => (await import('./growth.ts')).benchGrowth(Number(process.argv[3] ?? 1)),
}
/** Takes a quarter of an hour and 11 GB. */
const ON_DEMAND = 'growth'
for (const [scenario, run] of Object.entries(scenarios)) {
  if (name ? name === scenario : scenario !== ON_DEMAND) await run()
}
process.exit(process.exitCode ?? 0)
