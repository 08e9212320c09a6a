import { Link } from '@tanstack/react-router'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { t } from '../../phrases/phrases.ts'
import { useProblems } from '../../data/problems.ts'
import { useInstances, useWebhooks } from '../../data/queries.ts'
import { Load } from '../../ui/load.tsx'
import { canDevelop, usePanel } from '../../shell/page.tsx'
import { Time } from '../../ui/time.tsx'

/** Answers whether everything is all right: one sentence, and what needs the user, one line per cause. */
export function Situation() {
  const { me } = usePanel()
  const [instances, webhooks] = [useInstances(), useWebhooks()]
  const problems = useProblems()
  const develops = canDevelop(me)
  if (!instances.data) return <Load query={instances}>{() => null}</Load>
  if (develops && !webhooks.data) return <Load query={webhooks}>{() => null}</Load>
  if (instances.data.items.length === 0) return null
  const isGood = problems.length === 0
  return (
    <section className="card situation" data-good={isGood} aria-labelledby="situacao">
      <h2 id="situacao">
        {isGood ? <CircleCheck size={20} aria-hidden /> : <TriangleAlert size={20} aria-hidden />}
        {isGood ? t.home.allGood : t.home.needsYou(problems.length)}
      </h2>
      {!isGood && (
        <ul className="list">
          {problems.map(({ key, to, search, title, text, at }) => (
            <li key={key} className="situation-line">
              <span>
                <strong>{title}</strong> <span>{text}</span>{' '}
                <span className="quiet">
                  <Time at={at} />
                </span>
              </span>
              <Link className="button" to={to} search={search}>
                {t.home.see}
                <span className="visually-hidden"> {title}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
