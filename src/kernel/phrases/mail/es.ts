import { notificationSettings, productionHome, type MailPhrases } from './letter.ts'

/** The mails in Spanish. */
export const mailEs: MailPhrases = {
  greeting: '¡Hola!',
  signature: 'Recado',
  orOpen: 'Si el botón no funciona, abre esta dirección:',
  confirm: ({ company, link }) => ({
    subject: 'Confirma tu correo en Recado',
    paragraphs: [
      `Falta un paso para activar la cuenta ${company} en Recado: confirma que este correo es tuyo.`,
    ],
    button: { label: 'Confirmar mi correo', url: link },
    notes: ['El enlace vale por 24 horas. Si no creaste esta cuenta, ignora este mensaje.'],
  }),
  taken: ({ panelUrl }) => ({
    subject: 'Ya tienes una cuenta en Recado',
    paragraphs: [
      'Recibimos una solicitud para crear una cuenta en Recado con este correo, pero ya tiene una. Inicia sesión con tu contraseña.',
    ],
    button: { label: 'Iniciar sesión', url: panelUrl },
    notes: ['Si no fuiste tú, ignora este mensaje: nada cambió en tu cuenta.'],
  }),
  reset: ({ company, link }) => ({
    subject: 'Crea una nueva contraseña en Recado',
    paragraphs: [
      `Recibimos una solicitud para crear una nueva contraseña en la cuenta ${company} de Recado.`,
    ],
    button: { label: 'Crear nueva contraseña', url: link },
    notes: [
      'El enlace vale por una hora y solo puede usarse una vez. Si no hiciste esta solicitud, ignora este mensaje: tu contraseña sigue siendo la misma.',
    ],
  }),
  passwordChanged: ({ panelUrl }) => ({
    subject: 'Tu contraseña de Recado cambió',
    paragraphs: [
      'La contraseña de tu cuenta en Recado cambió, y se cerraron las sesiones abiertas.',
    ],
    button: { label: 'Iniciar sesión', url: panelUrl },
    notes: ['Si no fuiste tú, restablece tu contraseña ahora en “Olvidé mi contraseña”.'],
  }),
  secondFactor: ({ on, panelUrl }) => ({
    subject: on
      ? 'Verificación en dos pasos activada en Recado'
      : 'Verificación en dos pasos desactivada en Recado',
    paragraphs: [
      `La verificación en dos pasos de tu cuenta en Recado fue ${on ? 'activada' : 'desactivada'}.`,
    ],
    notes: [`Si no fuiste tú, cambia tu contraseña ahora: ${panelUrl}`],
  }),
  changeEmail: ({ link, before, after }) => ({
    subject: 'Confirma el cambio de correo en Recado',
    paragraphs: [
      `Recibimos una solicitud para cambiar el correo de tu cuenta en Recado de ${before} a ${after}. El cambio vale cuando las dos direcciones lo confirmen.`,
    ],
    button: { label: 'Confirmar el cambio', url: link },
    notes: ['El enlace vale por 24 horas. Si no fuiste tú, no confirmes y cambia tu contraseña.'],
  }),
  invite: ({ inviter, company, role, link }) => ({
    subject: `${inviter} te invitó a la cuenta ${company} en Recado`,
    paragraphs: [`${inviter} te invitó a la cuenta ${company} en Recado, con el rol de ${role}.`],
    button: { label: 'Aceptar la invitación', url: link },
    notes: ['El enlace vale por siete días. Si no esperabas esta invitación, ignora este mensaje.'],
  }),
  inviteTaken: ({ inviter, company, role }) => ({
    subject: `${inviter} te invitó a la cuenta ${company} en Recado`,
    paragraphs: [
      `${inviter} te invitó a la cuenta ${company} en Recado, con el rol de ${role}, pero este correo ya pertenece a otra cuenta. Para participar en las dos, pide una invitación para otra dirección.`,
    ],
    notes: ['Si no esperabas esta invitación, ignora este mensaje.'],
  }),
  accountDeleted: ({ company }) => ({
    subject: 'Tu cuenta en Recado fue eliminada',
    paragraphs: [
      `La cuenta ${company} en Recado fue eliminada: las claves, los webhooks y las campañas se detuvieron, y los números se desconectaron. Los datos se borrarán en unas horas, sin vuelta atrás.`,
    ],
  }),
  alerts: ({ company, lines, more, panelUrl }) => ({
    subject:
      lines.length + more === 1
        ? `${company}: ${lines[0]}`
        : `${company}: ${lines.length + more} avisos de Recado`,
    paragraphs: [`La producción de ${company} en Recado te necesita:`],
    list: [...lines, ...(more > 0 ? [`y ${more} más`] : [])],
    button: { label: 'Ver y resolver', url: productionHome(panelUrl) },
    notes: [`Elige qué recibes en ${notificationSettings(panelUrl)}`],
  }),
}
