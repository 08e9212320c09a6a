import {
  BarChart3,
  Contact,
  FileText,
  Image,
  MapPin,
  Mic,
  Sticker,
  Video,
  type LucideIcon,
} from 'lucide-react'
import type { Message } from '../../data/api-types.ts'

/** The icon of each message type that is more than text. */
export const KIND_ICONS: Partial<Record<Message['type'], LucideIcon>> = {
  image: Image,
  video: Video,
  audio: Mic,
  document: FileText,
  sticker: Sticker,
  location: MapPin,
  contact: Contact,
  poll: BarChart3,
  pollVote: BarChart3,
}
