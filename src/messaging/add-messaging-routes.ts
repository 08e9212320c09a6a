import type { ProjectsService } from '../company/projects/projects.service.ts'
import type { MediaService } from '../media/media.service.ts'
import type { Platform } from '../platform/create-platform.ts'
import { guardWith } from '../platform/http/principal.ts'
import type { Surface } from '../platform/http/surfaces.ts'
import type { Server } from '../platform/http/server.ts'
import { addAddressBookRoutes } from './address-book/address-book.routes.ts'
import { addCallRoutes } from './calls/calls.routes.ts'
import { addBlockedRoutes } from './contacts/blocked.routes.ts'
import { addContactRoutes } from './contacts/contacts.routes.ts'
import { addConversationRoutes } from './conversations/conversations.routes.ts'
import type { Messaging } from './create-messaging.ts'
import { addGroupRoutes } from './groups/groups.routes.ts'
import { addJoinRequestRoutes } from './groups/join-requests.routes.ts'
import { addHealthRoute } from './health/health.routes.ts'
import { addLabelPanelRoute } from './labels/labels.panel.ts'
import { addLabelRoutes } from './labels/labels.routes.ts'
import { addActivityPanelRoute } from './messages/activity.panel.ts'
import { addAlbumRoute } from './messages/album.routes.ts'
import { addForwardRoute } from './messages/forward.routes.ts'
import { addHistoryRoute } from './messages/history.routes.ts'
import { addMediaLinkRoute } from './messages/media-links.routes.ts'
import { addMessageRoutes } from './messages/messages.routes.ts'
import { addMarkRoutes } from './messages/message-marks.routes.ts'
import { addMentionPanelRoutes } from './notes/mentions.panel.ts'
import { addNoteRoutes } from './notes/notes.routes.ts'
import { addPhoneCollectionRoutes } from './phones/phone-collections.routes.ts'
import { addPhoneCommunityRoutes } from './phones/phone-communities.routes.ts'
import { addPhoneJoinRoute } from './phones/phone-join.routes.ts'
import { addPhoneMarkRoutes } from './phones/phone-marks.routes.ts'
import { addPhoneMessageRoutes } from './phones/phone-messages.routes.ts'
import { addPhoneRoutes } from './phones/phones.routes.ts'
import { addPictureRoutes } from './profiles/pictures.routes.ts'
import { addProfileRoutes } from './profiles/profiles.routes.ts'
import { addQuickReplyRoutes } from './quick-replies/quick-replies.routes.ts'
import { addScheduleRoutes } from './schedules/schedules.routes.ts'
import { addTemplateRoutes } from './templates/templates.routes.ts'

/** The services whose routes `messaging` adds. */
type Deps = Messaging &
  Pick<Platform, 'db' | 'clock' | 'seal' | 'idempotent'> & {
    media: MediaService
    projects: ProjectsService
  }

/** Adds the routes of messages, conversations and related resources to a surface. */
export async function addMessagingRoutes(
  server: Server,
  deps: Deps,
  surface: Surface,
): Promise<void> {
  const chat = { ...deps, guard: surface.guard('chat') }
  const organize = { ...deps, guard: surface.guard('organize') }
  const operate = { ...deps, guard: surface.guard('operate') }
  const develop = { ...deps, guard: surface.guard('develop') }
  // Elsewhere these routes do not exist, whatever is sent to them.
  const { requireSimulator } = deps.phones
  const simulate = { ...deps, guard: guardWith(develop.guard, requireSimulator) }
  await addMessageRoutes(server, chat)
  addAlbumRoute(server, chat)
  addForwardRoute(server, chat)
  addMarkRoutes(server, chat)
  addScheduleRoutes(server, chat)
  addConversationRoutes(server, chat)
  addHistoryRoute(server, chat)
  addHealthRoute(server, operate)
  addProfileRoutes(server, operate)
  addTemplateRoutes(server, operate)
  addNoteRoutes(server, chat)
  addQuickReplyRoutes(server, organize)
  addContactRoutes(server, chat)
  addBlockedRoutes(server, chat)
  addPictureRoutes(server, organize)
  addAddressBookRoutes(server, organize)
  addGroupRoutes(server, organize)
  addJoinRequestRoutes(server, organize)
  addLabelRoutes(server, organize)
  addCallRoutes(server, chat)
  addPhoneRoutes(server, simulate)
  addPhoneMessageRoutes(server, simulate)
  addPhoneMarkRoutes(server, simulate)
  addPhoneCollectionRoutes(server, simulate)
  addPhoneJoinRoute(server, simulate)
  addPhoneCommunityRoutes(server, simulate)
  if (surface.kind === 'api') {
    addMediaLinkRoute(server, deps)
    return
  }
  addMentionPanelRoutes(server, chat)
  addActivityPanelRoute(server, operate)
  addLabelPanelRoute(server, organize)
}
