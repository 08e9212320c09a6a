import { t } from '../../phrases/phrases.ts'

/** Something that the reply field offers to complete. */
export type Offer = {
  id: string
  /** What was typed, completed, such as `/horario`. */
  head: string
  detail: string
  choose: () => void
}

/** What matches the text typed so far, above the reply field, which keeps the focus. */
export function OfferList(props: {
  id: string
  label: string
  offers: Offer[]
  /** The index that Enter chooses. */
  active: number
}) {
  const { id, label, offers, active } = props
  return (
    <ul className="menu quick-replies" role="listbox" id={id} aria-label={label}>
      {offers.map(({ id: key, head, detail, choose }, index) => (
        <li
          key={key}
          id={`${id}-${index}`}
          className="menu-item"
          role="option"
          aria-selected={index === active}
          // The field would lose the focus before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={choose}
        >
          <code>{head}</code> <span className="truncate quiet">{detail}</span>
        </li>
      ))}
      {offers.length === 0 && <li className="menu-item quiet">{t.teamInbox.noMatch}</li>}
    </ul>
  )
}
