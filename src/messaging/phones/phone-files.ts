import type { MediaService } from '../../media/media.service.ts'
import type { AnyKind } from '../../model/kinds/index.ts'
import type { MediaInput } from '../../model/media-fields.ts'
import { disposableUntilKept, type Prepared } from '../../kernel/prepared.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'

/** The stored file of a message that a virtual phone writes. */
export type ReadyFile = Prepared & { facts: Awaited<ReturnType<typeof storeNow>>['facts'] | null }

/** Creates the function that stores the files of virtual phones; disposing deletes those of unsent messages. */
export function createPhoneFiles(media: Pick<MediaService, 'storeInputNow' | 'discard'>) {
  return {
    async store(
      db: Db,
      scope: Scope,
      kind: AnyKind,
      body: { media?: MediaInput; voice?: boolean },
    ): Promise<ReadyFile> {
      const file = kind.media ? await storeNow(media, db, scope, kind, body) : null
      return disposableUntilKept({ facts: file?.facts ?? null }, async () => {
        if (file?.fresh) await media.discard(scope, file.facts.id)
      })
    },
  }
}

async function storeNow(
  media: Pick<MediaService, 'storeInputNow'>,
  db: Db,
  scope: Scope,
  { name, media: rule }: AnyKind,
  { media: input = {}, voice = false }: { media?: MediaInput; voice?: boolean },
) {
  if (!rule) throw new Error(`cannot store a file: messages of kind ${name} have none`)
  const { media: taken, fresh } = await media.storeInputNow(db, scope, input, {
    rule,
    kind: name,
    voice,
  })
  const { mimeType, sizeBytes, sha256, ...facts } = taken
  const known = { mimeType: mimeType ?? '', sizeBytes: sizeBytes ?? 0, sha256: sha256 ?? '' }
  return { fresh, facts: { ...facts, ...known } }
}
