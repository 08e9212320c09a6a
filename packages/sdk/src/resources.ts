import { ONCE } from './generated/once.gen.ts'
import * as api from './generated/sdk.gen.ts'
import { createList, type Page } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import { streamForm } from './upload.ts'

/** A generated function. */
type Operation = (options: never) => Promise<{ data?: unknown }>
type Options<Op extends Operation> = NonNullable<Parameters<Op>[0]>
type Part<Op extends Operation, Name extends string> =
  Options<Op> extends Partial<Record<Name, infer Value>> ? Value : never
type Body<Op extends Operation> = Part<Op, 'body'>
type Query<Op extends Operation> = Exclude<Part<Op, 'query'>, undefined>
type Result<Op extends Operation> = Exclude<Awaited<ReturnType<Op>>['data'], undefined>
type Item<Op extends Operation> = Result<Op> extends Page<infer Value> ? Value : never
type Call<Op extends Operation, Names extends string[], More extends unknown[]> = (
  ...args: [...ids: { [Index in keyof Names]: string }, ...more: More, options?: CallOptions]
) => Promise<Result<Op>>

const toForm = (body: unknown) => ({ body, ...streamForm(body as object) })

/**
 * Builds the calls of an API key, grouped by resource. Each takes the ids of its path, then the body or query, then
 * `CallOptions`; the first id of what lies in an instance is the instance's. It resolves with the response body or rejects with RecadoError.
 */
export function createResources({ call }: Pick<Transport, 'call'>) {
  const run = <Op extends Operation>(op: Op, input: object, options?: CallOptions) =>
    call<Result<Op>>(op as never, input, options, !ONCE.has(op))
  /** Splits arguments into the ids of the path and the rest. */
  const split = (names: string[], args: unknown[]) => {
    const path = Object.fromEntries(names.map((name, index) => [name, args[index]]))
    return [path, ...args.slice(names.length)] as [object, unknown, CallOptions?]
  }
  /** Without `toInput`, a call takes nothing between the ids and the options. */
  const bind =
    (op: Operation, names: string[], toInput: ((part: unknown) => object) | null) =>
    (...args: unknown[]) => {
      const [path, ...rest] = split(names, args)
      const [part, options] = toInput ? rest : [null, ...rest]
      return run(op, { path, ...toInput?.(part) }, options as CallOptions)
    }
  const get = <Op extends Operation, const Names extends string[]>(op: Op, ...names: Names) =>
    bind(op, names, null) as Call<Op, Names, []>
  const find = <Op extends Operation, const Names extends string[]>(op: Op, ...names: Names) =>
    bind(op, names, (query) => ({ query })) as Call<Op, Names, [query?: Query<Op>]>
  const change = <Op extends Operation, const Names extends string[]>(op: Op, ...names: Names) =>
    bind(op, names, (body) => ({ body })) as Call<Op, Names, [body: Body<Op>]>
  const upload = <Op extends Operation, const Names extends string[]>(op: Op, ...names: Names) =>
    bind(op, names, toForm) as Call<Op, Names, [body: Body<Op>]>
  const list =
    <Op extends Operation, const Names extends string[]>(op: Op, ...names: Names) =>
    (...args: Parameters<Call<Op, Names, [query?: Query<Op>]>>) => {
      const [path, query, options] = split(names, args)
      return createList<Item<Op>>(
        query as Parameters<typeof createList>[0],
        (page) => run(op, { path, query: page }, options) as Promise<Page<Item<Op>>>,
      )
    }

  return {
    /** Mode, Project, credits and daily cap of the key. */
    me: get(api.getMe),
    /** The people to whom conversations may be assigned. */
    members: get(api.listMembers),
    /** Messages by day, instance and key. */
    usage: find(api.getUsage),
    /** How long contacts waited for an answer, by day. */
    responseTimes: find(api.getResponseTimes),
    /** The last requests of this Project's keys. */
    requests: find(api.listRequests),
    instances: {
      create: change(api.createInstance),
      list: list(api.listInstances),
      get: get(api.getInstance, 'id'),
      update: change(api.updateInstance, 'id'),
      delete: get(api.deleteInstance, 'id'),
      connect: get(api.connectInstance, 'id'),
      disconnect: get(api.disconnectInstance, 'id'),
      logout: get(api.logoutInstance, 'id'),
      pollQr: get(api.pollQr, 'id'),
      createQrToken: get(api.createQrToken, 'id'),
      requestPairingCode: change(api.requestPairingCode, 'id'),
      /** A link with which someone without an account pairs the instance. */
      createPairingLink: get(api.createPairingLink, 'id'),
      deletePairingLink: get(api.deletePairingLink, 'id'),
      health: get(api.getInstanceHealth, 'id'),
      profile: get(api.getProfile, 'id'),
      updateProfile: change(api.updateProfile, 'id'),
      picture: find(api.getProfilePicture, 'id'),
      setPicture: change(api.setProfilePicture, 'id'),
      removePicture: get(api.removeProfilePicture, 'id'),
      /** The account of the official API. */
      cloudAccount: get(api.getCloudAccount, 'id'),
      setCloudAccount: change(api.setCloudAccount, 'id'),
    },
    templates: {
      list: list(api.listTemplates, 'id'),
      create: change(api.createTemplate, 'id'),
      delete: get(api.deleteTemplate, 'id', 'name'),
    },
    messages: {
      send: change(api.sendMessage, 'id'),
      sendText: change(api.sendText, 'id'),
      sendMedia: change(api.sendMedia, 'id'),
      sendSticker: change(api.sendSticker, 'id'),
      sendLocation: change(api.sendLocation, 'id'),
      sendContact: change(api.sendContact, 'id'),
      sendReaction: change(api.sendReaction, 'id'),
      sendPoll: change(api.sendPoll, 'id'),
      /** A template of the official API. */
      sendTemplate: change(api.sendTemplate, 'id'),
      sendUpload: upload(api.sendUpload, 'id'),
      list: list(api.listMessages, 'id'),
      get: get(api.getMessage, 'id', 'messageId'),
      edit: change(api.editMessage, 'id', 'messageId'),
      delete: get(api.deleteMessage, 'id', 'messageId'),
      download: get(api.downloadMedia, 'id', 'messageId'),
      forward: change(api.forwardMessage, 'id', 'messageId'),
      pin: change(api.pinMessage, 'id', 'messageId'),
      unpin: get(api.unpinMessage, 'id', 'messageId'),
      markRead: change(api.markRead, 'id'),
    },
    media: { upload: upload(api.uploadMedia) },
    schedules: {
      create: change(api.scheduleMessage, 'id'),
      list: list(api.listScheduledMessages, 'id'),
      get: get(api.getScheduledMessage, 'id', 'scheduleId'),
      cancel: get(api.cancelScheduledMessage, 'id', 'scheduleId'),
    },
    conversations: {
      /** The conversations of all instances. */
      listAll: list(api.listAllConversations),
      find: get(api.findConversation, 'id'),
      list: list(api.listConversations, 'id'),
      get: get(api.getConversation, 'id', 'conversationId'),
      update: change(api.updateConversation, 'id', 'conversationId'),
      picture: find(api.getConversationPicture, 'id', 'conversationId'),
      /** Asks the phone for older messages. */
      requestHistory: change(api.requestHistory, 'id', 'conversationId'),
      showPresence: change(api.showPresence, 'id', 'conversationId'),
    },
    notes: {
      create: change(api.createNote, 'id', 'conversationId'),
      list: list(api.listNotes, 'id', 'conversationId'),
      delete: get(api.deleteNote, 'id', 'conversationId', 'noteId'),
    },
    quickReplies: {
      create: change(api.createQuickReply),
      list: list(api.listQuickReplies),
      update: change(api.updateQuickReply, 'id'),
      delete: get(api.deleteQuickReply, 'id'),
    },
    contacts: {
      list: list(api.listContacts, 'id'),
      get: get(api.getContact, 'id', 'contactId'),
      update: change(api.updateContact, 'id', 'contactId'),
      import: change(api.importContacts, 'id'),
      merge: change(api.mergeContact, 'id', 'contactId'),
      check: change(api.checkContacts, 'id'),
      profile: get(api.getContactProfile, 'id', 'contactId'),
      picture: find(api.getContactPicture, 'id', 'contactId'),
      blocked: get(api.listBlocked, 'id'),
      block: get(api.blockContact, 'id', 'phone'),
      unblock: get(api.unblockContact, 'id', 'phone'),
    },
    optOuts: {
      add: change(api.addOptOuts),
      list: list(api.listOptOuts),
      /** Takes a person off the list, by phone number or LID. */
      delete: get(api.deleteOptOut, 'phone'),
    },
    groups: {
      list: list(api.listGroups, 'id'),
      create: change(api.createGroup, 'id'),
      get: get(api.getGroup, 'id', 'groupId'),
      update: change(api.updateGroup, 'id', 'groupId'),
      changeParticipants: change(api.changeParticipants, 'id', 'groupId'),
      leave: get(api.leaveGroup, 'id', 'groupId'),
      picture: find(api.getGroupPicture, 'id', 'groupId'),
      setPicture: change(api.setGroupPicture, 'id', 'groupId'),
      removePicture: get(api.removeGroupPicture, 'id', 'groupId'),
      join: change(api.joinGroup, 'id'),
      invite: get(api.getGroupInvite, 'id', 'groupId'),
      /** The link before stops working. */
      resetInvite: get(api.resetGroupInvite, 'id', 'groupId'),
      joinRequests: get(api.listJoinRequests, 'id', 'groupId'),
      answerJoinRequests: change(api.answerJoinRequests, 'id', 'groupId'),
    },
    labels: {
      list: list(api.listLabels, 'id'),
      create: change(api.createLabel, 'id'),
      update: change(api.updateLabel, 'id', 'labelId'),
      delete: get(api.deleteLabel, 'id', 'labelId'),
      apply: get(api.applyLabel, 'id', 'labelId', 'conversationId'),
      remove: get(api.removeLabel, 'id', 'labelId', 'conversationId'),
    },
    calls: { list: list(api.listCalls, 'id'), reject: get(api.rejectCall, 'id', 'callId') },
    campaigns: {
      create: change(api.createCampaign),
      list: list(api.listCampaigns),
      get: get(api.getCampaign, 'id'),
      update: change(api.updateCampaign, 'id'),
      start: get(api.startCampaign, 'id'),
      pause: get(api.pauseCampaign, 'id'),
      resume: get(api.resumeCampaign, 'id'),
      cancel: get(api.cancelCampaign, 'id'),
      recipients: list(api.listRecipients, 'id'),
      addRecipients: change(api.addRecipients, 'id'),
    },
    webhooks: {
      /** The response has the secret, once. A failure after sending is not repeated. */
      create: change(api.createWebhook),
      list: list(api.listWebhooks),
      get: get(api.getWebhook, 'id'),
      update: change(api.updateWebhook, 'id'),
      delete: get(api.deleteWebhook, 'id'),
      deliveries: find(api.listDeliveries, 'id'),
      rotateSecret: change(api.rotateWebhookSecret, 'id'),
    },
    /** Virtual phones and test inboxes; only with a key of test mode. */
    simulator: {
      phones: {
        create: change(api.createPhone),
        list: list(api.listPhones),
        get: get(api.getPhone, 'id'),
        update: change(api.updatePhone, 'id'),
        delete: get(api.deletePhone, 'id'),
        scan: change(api.scanWithPhone, 'id'),
        unpair: get(api.unpairPhone, 'id'),
        goOffline: get(api.takePhoneOffline, 'id'),
        goOnline: get(api.bringPhoneOnline, 'id'),
        changeDevice: get(api.changePhoneDevice, 'id'),
        ban: get(api.banPhone, 'id'),
        send: change(api.sendFromPhone, 'id'),
        edit: change(api.editFromPhone, 'id', 'waMessageId'),
        deleteMessage: get(api.deleteFromPhone, 'id', 'waMessageId'),
        pin: change(api.pinFromPhone, 'id', 'waMessageId'),
        unpin: get(api.unpinFromPhone, 'id', 'waMessageId'),
        read: change(api.readOnPhone, 'id'),
        inbox: find(api.getPhoneInbox, 'id'),
        call: change(api.callFromPhone, 'id'),
        createGroup: change(api.createPhoneGroup, 'id'),
        updateGroup: change(api.updatePhoneGroup, 'id', 'groupId'),
        createCommunity: change(api.createPhoneCommunity, 'id'),
        moveGroup: change(api.movePhoneGroup, 'id', 'groupId'),
        releaseGroup: get(api.releasePhoneGroup, 'id', 'groupId'),
        changeParticipants: change(api.changePhoneParticipants, 'id', 'groupId'),
        groupInvite: get(api.getPhoneGroupInvite, 'id', 'groupId'),
        joinGroup: change(api.joinGroupOnPhone, 'id'),
        labels: get(api.listPhoneLabels, 'id'),
        createLabel: change(api.createPhoneLabel, 'id'),
        updateLabel: change(api.updatePhoneLabel, 'id', 'labelId'),
        deleteLabel: get(api.deletePhoneLabel, 'id', 'labelId'),
        applyLabel: get(api.applyPhoneLabel, 'id', 'labelId', 'chat'),
        removeLabel: get(api.removePhoneLabel, 'id', 'labelId', 'chat'),
      },
      inboxes: {
        create: change(api.createInbox),
        list: list(api.listInboxes),
        get: get(api.getInbox, 'id'),
        delete: get(api.deleteInbox, 'id'),
        requests: find(api.listInboxRequests, 'id'),
        setAnswer: change(api.setInboxAnswer, 'id'),
      },
    },
  }
}
