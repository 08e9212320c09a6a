import * as api from './generated/sdk.gen.ts'
import { createList, type Page } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'

/** A generated function. */
type Operation = (options: never) => Promise<{ data?: unknown }>
type Options<Op extends Operation> = NonNullable<Parameters<Op>[0]>
type Part<Op extends Operation, Name extends string> =
  Options<Op> extends Partial<Record<Name, infer Value>> ? Value : never
type Body<Op extends Operation> = Part<Op, 'body'>
type Query<Op extends Operation> = Exclude<Part<Op, 'query'>, undefined>
type Result<Op extends Operation> = Exclude<Awaited<ReturnType<Op>>['data'], undefined>
type Item<Op extends Operation> = Result<Op> extends Page<infer Value> ? Value : never

/**
 * Builds the calls of an API key, grouped by resource. Each takes the ids of its path, then the body or query, then
 * `CallOptions`; the first id of what lies in an instance is the instance's. It resolves with the response body or rejects with RecadoError.
 */
export function createResources({ call }: Pick<Transport, 'call'>) {
  const run = <Op extends Operation>(op: Op, input: object, ...more: [CallOptions?, boolean?]) =>
    call<Result<Op>>(op as never, input, ...more)
  const create =
    <Op extends Operation>(operation: Op, repeatable?: boolean) =>
    (body: Body<Op>, options?: CallOptions) =>
      run(operation, { body }, options, repeatable)
  const listIn =
    <Op extends Operation>(operation: Op, input: object) =>
    (query?: Query<Op>, options?: CallOptions) =>
      createList<Item<Op>>(
        query as Parameters<typeof createList>[0],
        (page) => run(operation, { ...input, query: page }, options) as Promise<Page<Item<Op>>>,
      )
  const list = <Op extends Operation>(operation: Op) => listIn(operation, {})
  const listOf =
    <Op extends Operation>(operation: Op) =>
    (id: string, query?: Query<Op>, options?: CallOptions) =>
      listIn(operation, { path: { id } })(query, options)
  const listOfPart =
    <Op extends Operation>(operation: Op, name: string) =>
    (id: string, partId: string, query?: Query<Op>, options?: CallOptions) =>
      listIn(operation, { path: { id, [name]: partId } })(query, options)
  const find =
    <Op extends Operation>(operation: Op) =>
    (id: string, query?: Query<Op>, options?: CallOptions) =>
      run(operation, { path: { id }, query }, options)
  const findPart =
    <Op extends Operation>(operation: Op, name: string) =>
    (id: string, partId: string, query?: Query<Op>, options?: CallOptions) =>
      run(operation, { path: { id, [name]: partId }, query }, options)
  const one =
    <Op extends Operation>(operation: Op, repeatable?: boolean) =>
    (id: string, options?: CallOptions) =>
      run(operation, { path: { id } }, options, repeatable)
  const change =
    <Op extends Operation>(operation: Op, repeatable?: boolean) =>
    (id: string, body: Body<Op>, options?: CallOptions) =>
      run(operation, { path: { id }, body }, options, repeatable)
  const part =
    <Op extends Operation>(operation: Op, name: string) =>
    (id: string, partId: string, options?: CallOptions) =>
      run(operation, { path: { id, [name]: partId } }, options)
  const changePart =
    <Op extends Operation>(operation: Op, name: string) =>
    (id: string, partId: string, body: Body<Op>, options?: CallOptions) =>
      run(operation, { path: { id, [name]: partId }, body }, options)
  const pair =
    <Op extends Operation>(operation: Op, first: string, second: string) =>
    (id: string, firstId: string, secondId: string, options?: CallOptions) =>
      run(operation, { path: { id, [first]: firstId, [second]: secondId } }, options)

  return {
    /** Mode, Project, credits and daily cap of the key. */
    me: (options?: CallOptions) => run(api.getMe, {}, options),
    /** The people to whom conversations may be assigned. */
    members: (options?: CallOptions) => run(api.listMembers, {}, options),
    /** Messages by day, instance and key. */
    usage: (query?: Query<typeof api.getUsage>, options?: CallOptions) =>
      run(api.getUsage, { query }, options),
    /** How long contacts waited for an answer, by day. */
    responseTimes: (query?: Query<typeof api.getResponseTimes>, options?: CallOptions) =>
      run(api.getResponseTimes, { query }, options),
    /** The last requests of this Project's keys. */
    requests: (query?: Query<typeof api.listRequests>, options?: CallOptions) =>
      run(api.listRequests, { query }, options),
    instances: {
      create: create(api.createInstance),
      list: list(api.listInstances),
      get: one(api.getInstance),
      update: change(api.updateInstance),
      delete: one(api.deleteInstance),
      connect: one(api.connectInstance),
      disconnect: one(api.disconnectInstance),
      logout: one(api.logoutInstance),
      pollQr: one(api.pollQr),
      createQrToken: one(api.createQrToken, false),
      requestPairingCode: change(api.requestPairingCode, false),
      /** A link with which someone without an account pairs the instance. */
      createPairingLink: one(api.createPairingLink, false),
      deletePairingLink: one(api.deletePairingLink),
      health: one(api.getInstanceHealth),
      profile: one(api.getProfile),
      updateProfile: change(api.updateProfile),
      picture: find(api.getProfilePicture),
      setPicture: change(api.setProfilePicture),
      removePicture: one(api.removeProfilePicture),
    },
    messages: {
      send: change(api.sendMessage),
      sendText: change(api.sendText),
      sendMedia: change(api.sendMedia),
      sendSticker: change(api.sendSticker),
      sendLocation: change(api.sendLocation),
      sendContact: change(api.sendContact),
      sendReaction: change(api.sendReaction),
      sendPoll: change(api.sendPoll),
      sendUpload: change(api.sendUpload),
      list: listOf(api.listMessages),
      get: part(api.getMessage, 'messageId'),
      edit: changePart(api.editMessage, 'messageId'),
      delete: part(api.deleteMessage, 'messageId'),
      download: part(api.downloadMedia, 'messageId'),
      forward: changePart(api.forwardMessage, 'messageId'),
      pin: changePart(api.pinMessage, 'messageId'),
      unpin: part(api.unpinMessage, 'messageId'),
      markRead: change(api.markRead),
    },
    media: { upload: create(api.uploadMedia) },
    schedules: {
      create: change(api.scheduleMessage),
      list: listOf(api.listScheduledMessages),
      get: part(api.getScheduledMessage, 'scheduleId'),
      cancel: part(api.cancelScheduledMessage, 'scheduleId'),
    },
    conversations: {
      /** The conversations of all instances. */
      listAll: list(api.listAllConversations),
      find: one(api.findConversation),
      list: listOf(api.listConversations),
      get: part(api.getConversation, 'conversationId'),
      update: changePart(api.updateConversation, 'conversationId'),
      picture: findPart(api.getConversationPicture, 'conversationId'),
      /** Asks the phone for older messages. */
      requestHistory: (
        id: string,
        conversationId: string,
        body: Body<typeof api.requestHistory> = {},
        options?: CallOptions,
      ) => run(api.requestHistory, { path: { id, conversationId }, body }, options, false),
      showPresence: changePart(api.showPresence, 'conversationId'),
    },
    notes: {
      create: changePart(api.createNote, 'conversationId'),
      list: listOfPart(api.listNotes, 'conversationId'),
      delete: pair(api.deleteNote, 'conversationId', 'noteId'),
    },
    quickReplies: {
      create: create(api.createQuickReply),
      list: list(api.listQuickReplies),
      update: change(api.updateQuickReply),
      delete: one(api.deleteQuickReply),
    },
    contacts: {
      list: listOf(api.listContacts),
      get: part(api.getContact, 'contactId'),
      update: changePart(api.updateContact, 'contactId'),
      import: change(api.importContacts),
      merge: changePart(api.mergeContact, 'contactId'),
      check: change(api.checkContacts),
      profile: part(api.getContactProfile, 'contactId'),
      picture: findPart(api.getContactPicture, 'contactId'),
      blocked: one(api.listBlocked),
      block: part(api.blockContact, 'phone'),
      unblock: part(api.unblockContact, 'phone'),
    },
    optOuts: {
      add: create(api.addOptOuts),
      list: list(api.listOptOuts),
      /** Takes a person off the list, by phone number or LID. */
      delete: (phone: string, options?: CallOptions) =>
        run(api.deleteOptOut, { path: { phone } }, options),
    },
    groups: {
      list: listOf(api.listGroups),
      create: change(api.createGroup),
      get: part(api.getGroup, 'groupId'),
      update: changePart(api.updateGroup, 'groupId'),
      changeParticipants: changePart(api.changeParticipants, 'groupId'),
      leave: part(api.leaveGroup, 'groupId'),
      picture: findPart(api.getGroupPicture, 'groupId'),
      setPicture: changePart(api.setGroupPicture, 'groupId'),
      removePicture: part(api.removeGroupPicture, 'groupId'),
      join: change(api.joinGroup),
      invite: part(api.getGroupInvite, 'groupId'),
      /** The link before stops working. */
      resetInvite: part(api.resetGroupInvite, 'groupId'),
    },
    labels: {
      list: listOf(api.listLabels),
      create: change(api.createLabel),
      update: changePart(api.updateLabel, 'labelId'),
      delete: part(api.deleteLabel, 'labelId'),
      apply: pair(api.applyLabel, 'labelId', 'conversationId'),
      remove: pair(api.removeLabel, 'labelId', 'conversationId'),
    },
    calls: { list: listOf(api.listCalls), reject: part(api.rejectCall, 'callId') },
    campaigns: {
      create: create(api.createCampaign),
      list: list(api.listCampaigns),
      get: one(api.getCampaign),
      update: change(api.updateCampaign),
      start: one(api.startCampaign),
      pause: one(api.pauseCampaign),
      resume: one(api.resumeCampaign),
      cancel: one(api.cancelCampaign),
      recipients: listOf(api.listRecipients),
      addRecipients: change(api.addRecipients),
    },
    webhooks: {
      /** The response has the secret, once. A failure after sending is not repeated. */
      create: create(api.createWebhook, false),
      list: list(api.listWebhooks),
      get: one(api.getWebhook),
      update: change(api.updateWebhook),
      delete: one(api.deleteWebhook),
      deliveries: find(api.listDeliveries),
      rotateSecret: change(api.rotateWebhookSecret, false),
    },
    /** Virtual phones and test inboxes; only with a key of test mode. */
    simulator: {
      phones: {
        create: create(api.createPhone),
        list: list(api.listPhones),
        get: one(api.getPhone),
        update: change(api.updatePhone),
        delete: one(api.deletePhone),
        scan: change(api.scanWithPhone),
        unpair: one(api.unpairPhone),
        goOffline: one(api.takePhoneOffline),
        goOnline: one(api.bringPhoneOnline),
        changeDevice: one(api.changePhoneDevice),
        ban: one(api.banPhone),
        send: change(api.sendFromPhone),
        edit: changePart(api.editFromPhone, 'waMessageId'),
        deleteMessage: part(api.deleteFromPhone, 'waMessageId'),
        pin: changePart(api.pinFromPhone, 'waMessageId'),
        unpin: part(api.unpinFromPhone, 'waMessageId'),
        read: change(api.readOnPhone),
        inbox: find(api.getPhoneInbox),
        call: change(api.callFromPhone),
        createGroup: change(api.createPhoneGroup),
        updateGroup: changePart(api.updatePhoneGroup, 'groupId'),
        changeParticipants: changePart(api.changePhoneParticipants, 'groupId'),
        groupInvite: part(api.getPhoneGroupInvite, 'groupId'),
        labels: one(api.listPhoneLabels),
        createLabel: change(api.createPhoneLabel),
        updateLabel: changePart(api.updatePhoneLabel, 'labelId'),
        deleteLabel: part(api.deletePhoneLabel, 'labelId'),
        applyLabel: pair(api.applyPhoneLabel, 'labelId', 'chat'),
        removeLabel: pair(api.removePhoneLabel, 'labelId', 'chat'),
      },
      inboxes: {
        create: create(api.createInbox),
        list: list(api.listInboxes),
        get: one(api.getInbox),
        delete: one(api.deleteInbox),
        requests: find(api.listInboxRequests),
        setAnswer: change(api.setInboxAnswer),
      },
    },
  }
}
