import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { buildPath, callApi } from '../../data/api.ts'
import type { Instance } from '../../data/api-types.ts'
import { MAX_ABOUT } from '../../data/profile.ts'
import { readBase64 } from '../../data/read-base64.ts'
import { t } from '../../phrases/phrases.ts'
import { canDevelop, usePanel } from '../../shell/page.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Field } from '../../ui/controls.tsx'
import { ActionButton, ActionForm, trimmedText } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'

/** What contacts see of the number, which those who develop can change. */
export function ProfileCard({ instance }: { instance: Instance }) {
  const { mode, me } = usePanel()
  const { id } = instance
  const client = useQueryClient()
  const query = useQuery({
    queryKey: [mode, 'profile', id],
    queryFn: () => callApi(mode, 'GET /v1/instances/{id}/profile', { params: [id] }),
  })
  const src = buildPath('/panel/api/{mode}/v1/instances/{id}/profile/picture', [mode, id])
  // A new URL for each picture set here, because browsers cache images by URL.
  const [version, setVersion] = useState(0)
  async function reloadPicture() {
    await fetch(src, { cache: 'reload' })
    setVersion((known) => known + 1)
  }
  async function save(form: FormData) {
    const about = trimmedText(form, 'about')
    const file = form.get('picture')
    if (about !== (query.data?.about ?? ''))
      await callApi(mode, 'PATCH /v1/instances/{id}/profile', { params: [id], body: { about } })
    if (file instanceof File && file.size > 0) {
      const body = { base64: await readBase64(file), fileName: file.name }
      await callApi(mode, 'PUT /v1/instances/{id}/profile/picture', { params: [id], body })
      await reloadPicture()
    }
    await client.invalidateQueries({ queryKey: [mode, 'profile', id] })
  }
  async function removePicture() {
    await callApi(mode, 'DELETE /v1/instances/{id}/profile/picture', { params: [id] })
    await reloadPicture()
  }
  return (
    <section className="card" aria-labelledby="perfil">
      <h2 id="perfil">{t.profile.title}</h2>
      <Load query={query}>
        {({ name, about, business }) => (
          <>
            <div className="profile-head">
              <Avatar id={id} name={name ?? instance.name} picture={`${src}#${version}`} />
              <div>
                <strong>{name ?? instance.name}</strong>
                {!canDevelop(me) && about && <p className="quiet">{about}</p>}
                {business?.description && <p className="quiet">{business.description}</p>}
              </div>
            </div>
            {canDevelop(me) && (
              <ActionForm
                act={save}
                secondary={<ActionButton act={removePicture} label={t.profile.removePicture} />}
              >
                <Field
                  label={t.profile.about}
                  name="about"
                  defaultValue={about ?? ''}
                  maxLength={MAX_ABOUT}
                  hint={t.profile.aboutHint}
                  autoComplete="off"
                />
                {/* A new one once a picture was set, so that the same file is not sent again. */}
                <Field
                  key={version}
                  label={t.profile.picture}
                  name="picture"
                  type="file"
                  accept="image/*"
                  hint={t.profile.pictureHint}
                />
              </ActionForm>
            )}
          </>
        )}
      </Load>
    </section>
  )
}
