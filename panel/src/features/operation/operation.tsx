import { Link } from '@tanstack/react-router'
import { t } from '../../phrases/phrases.ts'
import { NotFound } from '../../shell/not-found.tsx'
import { Page, usePanel } from '../../shell/page.tsx'
import { Empty } from '../../ui/controls.tsx'
import { useFilters } from '../../ui/filters.ts'
import { Tabs } from '../../ui/tabs.tsx'
import { Nodes } from './nodes.tsx'
import { Projects } from './projects.tsx'
import { Queues } from './queues.tsx'

const TABS = ['projetos', 'nos', 'filas'] as const

/** The pages for those who run the server: companies, nodes and queues. */
export function Operation() {
  const { me, modo } = usePanel()
  if (!me.operator) return <NotFound />
  if (me.secondFactor) return <Pages />
  return (
    <Page title={t.operation.title}>
      <Empty text={t.operation.factorNeeded}>
        <Link
          className="button primary"
          to="/$modo/configuracoes"
          params={{ modo }}
          search={{ aba: 'seguranca' }}
        >
          {t.operation.factorOn}
        </Link>
      </Empty>
    </Page>
  )
}

function Pages() {
  const { values, set } = useFilters<'aba' | 'q' | 'situacao' | 'projeto'>()
  const open = TABS.find((one) => one === values.aba) ?? 'projetos'
  return (
    <Page title={t.operation.title} text={t.operation.text}>
      <Tabs
        label={t.operation.title}
        tabs={[
          ['projetos', t.operation.projects],
          ['nos', t.operation.nodes],
          ['filas', t.operation.queues],
        ]}
        open={open}
        onOpen={(aba) =>
          set({
            aba: aba === 'projetos' ? undefined : aba,
            q: undefined,
            situacao: undefined,
            projeto: undefined,
          })
        }
      >
        {open === 'projetos' && <Projects />}
        {open === 'nos' && <Nodes />}
        {open === 'filas' && <Queues />}
      </Tabs>
    </Page>
  )
}
