// The page that is shown while the server cannot be reached, in the language and colors of the panel.
const TEXTS = {
  pt: [
    'Sem conexão',
    'Não foi possível falar com o servidor. O Recado abre sozinho quando a conexão voltar.',
    'Tentar agora',
  ],
  en: [
    'No connection',
    'The server could not be reached. Recado opens by itself once the connection is back.',
    'Try now',
  ],
  es: [
    'Sin conexión',
    'No fue posible comunicarse con el servidor. Recado se abre solo cuando vuelva la conexión.',
    'Intentar ahora',
  ],
}
const RETRY_MS = 5000
const language = (localStorage.getItem('recado.language') ?? navigator.language).slice(0, 2)
const [title, text, retry] = TEXTS[language] ?? TEXTS.pt
const dark =
  document.documentElement.dataset.theme === 'escuro' ||
  (document.documentElement.dataset.theme !== 'claro' &&
    matchMedia('(prefers-color-scheme: dark)').matches)
const { style } = document.body
document.documentElement.lang = language
Object.assign(style, {
  margin: '0',
  minHeight: '100vh',
  display: 'grid',
  placeItems: 'center',
  font: '16px/24px system-ui, sans-serif',
  background: dark ? '#16181d' : '#faf9f7',
  color: dark ? '#f2f1ef' : '#22252e',
})
Object.assign(document.querySelector('main').style, { maxWidth: '360px', padding: '24px' })
document.querySelector('h1').textContent = title
document.querySelector('p').textContent = text
const button = document.querySelector('button')
button.textContent = retry
button.addEventListener('click', () => location.reload())
addEventListener('online', () => location.reload())
setInterval(() => {
  fetch('/healthz').then(
    (response) => {
      if (response.ok) location.reload()
    },
    () => {},
  )
}, RETRY_MS)
