import type { Authenticator } from '../platform/auth/authenticator.port.ts'
import type { Config } from '../kernel/config/config.ts'
import type { Platform } from '../platform/create-platform.ts'
import { createMediaStore, stagingDir } from './create-store.ts'
import { createImageFitter } from './fit-image.ts'
import { createVoiceFitter } from './fit-voice.ts'
import { createMediaProcess } from './media-process.ts'
import { createMediaService } from './media.service.ts'
import { createQuota } from './quota.ts'
import { createStage } from './stage-file.ts'

/** Creates the module `media`: the store of files, the processes that decode them, and the service. */
export async function createMedia(
  stack: AsyncDisposableStack,
  deps: { config: Config; platform: Platform; authenticator: Authenticator },
) {
  const { config, platform, authenticator } = deps
  const { db, clock, policy, egress, bus, onError } = platform
  const store = await createMediaStore(config, clock)
  stack.defer(() => store.close())
  const stage = createStage(stagingDir(config, platform.workerSlot))
  const mediaProcess = createMediaProcess(clock)
  stack.defer(() => mediaProcess.close())
  const quota = createQuota({ db, clock, bytes: config.media.quotaBytes })
  return createMediaService({
    db,
    clock,
    policy,
    store,
    stage,
    images: createImageFitter(stage, mediaProcess),
    voices: createVoiceFitter(stage, mediaProcess),
    egress,
    publish: bus.publish,
    onError,
    process: mediaProcess,
    quota,
    recheckKey: authenticator.recheckKey,
    retentionDays: config.media.retentionDays,
  })
}
