// docs/prometheus-alerts.yml: every rule asks for metrics that are there, fires when it should, and is silent otherwise.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startTestApp } from '../kit/test-app.ts'

const RULES = fileURLToPath(new URL('../../docs/prometheus-alerts.yml', import.meta.url))
const installed = spawnSync('which', ['promtool']).status === 0
const skip = installed ? false : 'install promtool to run it (apt-get install prometheus)'
const STEPS = 240
const names = [...readFileSync(RULES, 'utf8').matchAll(/alert: (\w+)/g)].map(
  ([, name]) => name ?? '',
)

/** For each rule, what is scraped every 15 seconds for an hour: in trouble and in health. */
const SERIES: Record<string, { trouble: Record<string, string>; health: Record<string, string> }> =
  {
    RecadoNodeNotReady: one('node_ready', `0x${STEPS}`, `1x${STEPS}`),
    RecadoBusLost: one('bus_connected', `0x${STEPS}`, `1x${STEPS}`),
    RecadoMessagesWait: one('messages_waiting_oldest_seconds', `1000x${STEPS}`, `300x${STEPS}`),
    RecadoWhatsAppVersion: one('whatsapp_version_rejected_total', `0+1x${STEPS}`, `9x${STEPS}`),
    RecadoQueueStuck: one('messages_stuck_total', `0+1x${STEPS}`, `7x${STEPS}`),
    RecadoInstancesNotConnected: {
      trouble: states(80, 20),
      health: states(95, 5),
    },
    RecadoSendsFail: { trouble: sends(2), health: sends(0.5) },
    RecadoPoolsLost: one('db_pools_lost_total', `0+1x${STEPS}`, `5x${STEPS}`),
    RecadoStatementsSlow: {
      trouble: slow('db_statement_seconds', 2),
      health: slow('db_statement_seconds', 0.1),
    },
    RecadoNodeBuried: one('nodes_buried_total', `0+1x${STEPS}`, `2x${STEPS}`),
    RecadoNodeLapsed: one('node_lapses_total', `0+1x${STEPS}`, `2x${STEPS}`),
    RecadoFaults: one('faults_total', `0+1x${STEPS}`, `2x${STEPS}`),
    RecadoBackgroundErrors: one('background_errors_total', `0+15x${STEPS}`, `0+1x${STEPS}`),
    RecadoEventLoopLags: one('nodejs_eventloop_lag_p99_seconds', `0.9x${STEPS}`, `0.02x${STEPS}`),
    RecadoDeliveriesLate: {
      trouble: slow('wh_lag_seconds', 10),
      health: slow('wh_lag_seconds', 1),
    },
  }

function one(metric: string, trouble: string, health: string) {
  return { trouble: { [metric]: trouble }, health: { [metric]: health } }
}

function states(connected: number, connecting: number): Record<string, string> {
  return {
    'instances{node="a",status="CONNECTED"}': `${connected}x${STEPS}`,
    'instances{node="a",status="CONNECTING"}': `${connecting}x${STEPS}`,
  }
}

/** Failed sends among ten per scrape. */
function sends(failed: number): Record<string, string> {
  return {
    'messages_accepted_total{mode="production"}': `0+10x${STEPS}`,
    'messages_failed_total{code="ACK_TIMEOUT"}': `0+${failed}x${STEPS}`,
  }
}

/** A histogram of which all are above the half of `bound` and below it. */
function slow(metric: string, bound: number): Record<string, string> {
  return {
    [`${metric}_bucket{le="${bound / 2}"}`]: `0x${STEPS}`,
    [`${metric}_bucket{le="${bound}"}`]: `0+10x${STEPS}`,
    [`${metric}_bucket{le="+Inf"}`]: `0+10x${STEPS}`,
  }
}

function testOf(name: string, series: Record<string, string>, fires: boolean): object {
  return {
    interval: '15s',
    input_series: Object.entries(series).map(([metric, values]) => ({ series: metric, values })),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${name}",alertstate="firing"})`,
        eval_time: '50m',
        exp_samples: fires ? [{ value: 1 }] : [],
      },
    ],
  }
}

describe('the Prometheus alerting rules', { skip }, () => {
  let dir: string
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'recado-rules-'))
    copyFileSync(RULES, join(dir, 'rules.yml'))
  })
  after(() => rmSync(dir, { recursive: true, force: true }))

  for (const name of names) {
    it(`${name} fires in its condition and not in a healthy installation`, () => {
      const series = SERIES[name]
      assert.ok(series, `no series for ${name}`)
      const tests = [testOf(name, series.trouble, true), testOf(name, series.health, false)]
      // promtool reads YAML, of which JSON is a part.
      const file = { rule_files: ['rules.yml'], evaluation_interval: '15s', tests }
      writeFileSync(join(dir, 'test.yml'), JSON.stringify(file))
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'test.yml'], {
        cwd: dir,
      })
      assert.equal(status, 0, `${stdout.toString()}${stderr.toString()}`)
    })
  }

  it('the alerting rules use only metrics that a server exports', async () => {
    const kit = await startTestApp()
    const text = await kit.metrics()
    await kit.close()
    const asked = Object.values(SERIES).flatMap(({ trouble }) => Object.keys(trouble))
    for (const series of asked) {
      const family = series.replace(/\{.*$/, '').replace(/_bucket$/, '')
      assert.ok(text.includes(`# TYPE ${family} `), family)
    }
  })
})
