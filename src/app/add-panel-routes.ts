import { addCallRoutes } from '../messaging/calls/calls.routes.ts'
import { addCampaignRoutes } from '../campaigns/campaigns.routes.ts'
import { addOptOutRoutes } from '../campaigns/opt-outs.routes.ts'
import { addAddressBookRoutes } from '../messaging/address-book/address-book.routes.ts'
import { addBlockedRoutes } from '../messaging/contacts/blocked.routes.ts'
import { addContactRoutes } from '../messaging/contacts/contacts.routes.ts'
import { addConversationRoutes } from '../messaging/conversations/conversations.routes.ts'
import { addDeliveryPanelRoutes } from '../events/deliveries/deliveries.panel.ts'
import { addDeliveryRoutes } from '../events/deliveries/deliveries.routes.ts'
import { addGroupRoutes } from '../messaging/groups/groups.routes.ts'
import { panelGuard, type RoutePermissions } from '../platform/http/principal.ts'
import type { Server } from '../platform/http/server.ts'
import { addInboxRoutes } from '../events/inboxes/inboxes.routes.ts'
import { addInstancePanelRoutes } from '../instances/instances.panel.ts'
import { addInstanceRoutes } from '../instances/instances.routes.ts'
import { addPairingLinkRoutes } from '../instances/pairing-links.routes.ts'
import { addPairingRoutes } from '../instances/pairing.routes.ts'
import { addKeyRoutes } from '../company/keys/keys.routes.ts'
import { addLabelPanelRoute } from '../messaging/labels/labels.panel.ts'
import { addNoteRoutes } from '../messaging/notes/notes.routes.ts'
import { addHealthRoute } from '../messaging/health/health.routes.ts'
import { addPictureRoutes } from '../messaging/profiles/pictures.routes.ts'
import { addProfileRoutes } from '../messaging/profiles/profiles.routes.ts'
import { addQuickReplyRoutes } from '../messaging/quick-replies/quick-replies.routes.ts'
import { addLabelRoutes } from '../messaging/labels/labels.routes.ts'
import { addMediaRoutes } from '../media/media.routes.ts'
import { addActivityPanelRoute } from '../messaging/messages/activity.panel.ts'
import { addMemberRoutes } from '../company/members/members.routes.ts'
import { addHistoryRoute } from '../messaging/messages/history.routes.ts'
import { addForwardRoute } from '../messaging/messages/forward.routes.ts'
import { addMessageRoutes } from '../messaging/messages/messages.routes.ts'
import { addPhoneCollectionRoutes } from '../messaging/phones/phone-collections.routes.ts'
import { addPhoneMessageRoutes } from '../messaging/phones/phone-messages.routes.ts'
import { addPhoneRoutes } from '../messaging/phones/phones.routes.ts'
import { addScheduleRoutes } from '../messaging/schedules/schedules.routes.ts'
import { fail } from '../kernel/phrases/fail.ts'
import type { Modules } from './create-modules.ts'
import { addRequestPanelRoute } from '../company/requests/requests.panel.ts'
import { addLivePanelRoutes } from '../events/streams/live.panel.ts'
import { addWebhookPanelRoute } from '../events/webhooks/webhooks.panel.ts'
import { addWebhookRoutes } from '../events/webhooks/webhooks.routes.ts'

const develop: RoutePermissions = { read: 'develop', write: 'develop' }
const attend: RoutePermissions = { read: 'attend', write: 'attend' }
/** Attendants see the instances that they write from, but cannot change them. */
const operate: RoutePermissions = { read: 'viewInstances', write: 'develop' }

/**
 * Registers the API routes a second time, for panel users: `/panel/api/{test|production}/v1/…`. The
 * session is the credential, the path selects the mode, and sends consume no credits. Hidden from
 * the API reference.
 */
export async function addPanelRoutes(http: Server, app: Modules): Promise<void> {
  await http.register(
    async (panel) => {
      panel.addHook('onRoute', (route) => {
        route.schema = { ...route.schema, hide: true }
      })
      panel.addHook('onRequest', async (request) => {
        const { mode } = request.params as { mode: string }
        if (mode !== 'test' && mode !== 'production') {
          throw fail('not_found', (say) => say.http.routeNotFound)
        }
        request.mode = mode
      })
      const by = (rights: RoutePermissions) => ({
        ...app,
        guard: panelGuard(app.authenticator, rights),
      })
      addKeyRoutes(panel, by(develop))
      addMemberRoutes(panel, by(attend))
      addRequestPanelRoute(panel, by(develop))
      addInstanceRoutes(panel, by(operate))
      addPairingRoutes(panel, by(develop))
      addPairingLinkRoutes(panel, by(develop))
      addInstancePanelRoutes(panel, { ...by(operate), pairingGuard: by(develop).guard })
      await addMediaRoutes(panel, by(attend))
      await addMessageRoutes(panel, by(attend))
      addForwardRoute(panel, by(attend))
      addScheduleRoutes(panel, by(attend))
      addActivityPanelRoute(panel, by(operate))
      addConversationRoutes(panel, by(attend))
      addHistoryRoute(panel, by(attend))
      addHealthRoute(panel, by(operate))
      addProfileRoutes(panel, by(operate))
      addNoteRoutes(panel, by(attend))
      addQuickReplyRoutes(panel, by(attend))
      addContactRoutes(panel, by(attend))
      addBlockedRoutes(panel, by(attend))
      addPictureRoutes(panel, by(attend))
      addAddressBookRoutes(panel, by(attend))
      addGroupRoutes(panel, by(attend))
      addLabelRoutes(panel, by(attend))
      addLabelPanelRoute(panel, by(attend))
      addCallRoutes(panel, by(attend))
      await addCampaignRoutes(panel, by(develop))
      addOptOutRoutes(panel, by(attend))
      addWebhookRoutes(panel, by(develop))
      addWebhookPanelRoute(panel, by(develop))
      addDeliveryRoutes(panel, by(develop))
      addDeliveryPanelRoutes(panel, by(develop))
      addPhoneRoutes(panel, by(develop))
      addPhoneMessageRoutes(panel, by(develop))
      addPhoneCollectionRoutes(panel, by(develop))
      addInboxRoutes(panel, by(develop))
      addLivePanelRoutes(panel, by(attend))
    },
    { prefix: '/panel/api/:mode' },
  )
}
