import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callPanel } from '../../data/api.ts'
import type { OperatedProject } from '../../data/api-types.ts'
import { formatted, t } from '../../phrases/phrases.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { CancelButton, Check, Choice, Field } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Drawer, Facts } from '../../ui/drawer.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { ActionForm, trimmedText, useAction } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { Time } from '../../ui/time.tsx'
import { ProjectStatus } from './project-status.tsx'
import { USAGE_MODES } from '../../../../src/model/vocabulary.ts'

/** One company's figures, with what an operator can change. */
export function ProjectDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery({
    queryKey: ['operation', 'project', id],
    queryFn: () => callPanel('GET /panel/api/operation/projects/{id}', { params: [id] }),
  })
  const [asked, setAsked] = useState<'status' | 'credits' | null>(null)
  const project = query.data
  return (
    <Drawer
      title={project?.company ?? t.operation.company}
      onClose={onClose}
      actions={
        project && (
          <>
            <button type="button" className="button" onClick={() => setAsked('credits')}>
              {t.operation.grant}
            </button>
            <button
              type="button"
              className={project.status === 'ACTIVE' ? 'button danger' : 'button'}
              onClick={() => setAsked('status')}
            >
              {project.status === 'ACTIVE' ? t.operation.suspend : t.operation.activate}
            </button>
          </>
        )
      }
    >
      <Load query={query}>{(shown) => <Settings project={shown} />}</Load>
      {project && asked === 'status' && (
        <ChangeStatus project={project} onClose={() => setAsked(null)} />
      )}
      {project && asked === 'credits' && <Grant project={project} onClose={() => setAsked(null)} />}
    </Drawer>
  )
}

type Change = Partial<Pick<OperatedProject, 'status' | 'usageMode' | 'exempt' | 'massSending'>>

/** Makes one change to a company, and shows it everywhere. */
function useChange({ id }: OperatedProject) {
  const client = useQueryClient()
  return async (body: Change) => {
    const changed = await callPanel('PATCH /panel/api/operation/projects/{id}', {
      params: [id],
      body,
    })
    client.setQueryData(['operation', 'project', id], changed)
    void client.invalidateQueries({ queryKey: ['operation', 'projects'] })
  }
}

function Settings({ project }: { project: OperatedProject }) {
  const change = useChange(project)
  // Shown as chosen until the server has answered.
  const [chosen, setChosen] = useState<Change>({})
  const { error, busy, run } = useAction(async (body: Change) => {
    setChosen(body)
    try {
      await change(body)
    } finally {
      setChosen({})
    }
  })
  const { usageMode, exempt, massSending } = { ...project, ...chosen }
  return (
    <>
      <Facts
        facts={[
          [t.operation.status, <ProjectStatus key="status" status={project.status} />],
          [t.operation.owner, project.owner],
          [t.operation.subscription, exempt ? t.operation.exempt : t.plan[project.subscription]],
          [t.operation.credits, formatted(project.credits)],
          [t.operation.instances, t.operation.connectedOf(project.connected, project.instances)],
          [t.operation.sent, formatted(project.sent)],
          [t.operation.since, <Time key="since" at={project.createdAt} />],
          ['id', <code key="id">{project.id}</code>],
        ]}
      />
      {error !== null && <ErrorBlock error={error} />}
      <Choice
        label={t.operation.usageMode}
        value={usageMode}
        disabled={busy}
        onChange={(event) => {
          const mode = USAGE_MODES.find((one) => one === event.target.value)
          if (mode) run({ usageMode: mode })
        }}
        options={USAGE_MODES.map((one) => [one, t.operation[one]] as const)}
      />
      <Check
        label={t.operation.exemptChoice}
        checked={exempt}
        disabled={busy}
        onChange={(event) => run({ exempt: event.target.checked })}
      />
      <Check
        label={t.operation.massSending}
        checked={massSending}
        disabled={busy}
        onChange={(event) => run({ massSending: event.target.checked })}
      />
    </>
  )
}

function ChangeStatus({ project, onClose }: { project: OperatedProject; onClose: () => void }) {
  const change = useChange(project)
  const isActive = project.status === 'ACTIVE'
  const { suspend, suspendText, activate, activateText } = t.operation
  return (
    <Confirm
      {...(isActive ? { name: project.company, danger: true, inBothModes: true } : {})}
      title={isActive ? suspend : activate}
      object={project.company}
      text={isActive ? suspendText(project.company) : activateText(project.company)}
      onClose={onClose}
      act={async () => {
        await change({ status: isActive ? 'SUSPENDED' : 'ACTIVE' })
        onClose()
      }}
    />
  )
}

function Grant({ project, onClose }: { project: OperatedProject; onClose: () => void }) {
  const client = useQueryClient()
  return (
    <Dialog title={`${t.operation.grant}: ${project.company}`} onClose={onClose}>
      <ActionForm
        label={t.operation.grant}
        secondary={<CancelButton onClick={onClose} />}
        act={async (form) => {
          const amount = Number(trimmedText(form, 'amount'))
          await callPanel('POST /panel/api/operation/projects/{id}/credits', {
            params: [project.id],
            body: { amount },
          })
          onClose()
          await client.invalidateQueries({ queryKey: ['operation'] })
        }}
      >
        <Field
          label={t.operation.amount}
          name="amount"
          type="number"
          inputMode="numeric"
          min={1}
          max={1_000_000_000}
          step={1}
          required
        />
      </ActionForm>
    </Dialog>
  )
}
