import type { Phrases } from '../phrases.ts'

export const official: Pick<
  Phrases,
  | 'official'
  | 'officialNetworks'
  | 'cloudFields'
  | 'cloudHints'
  | 'templateCategories'
  | 'templateVerdicts'
> = {
  official: {
    network: 'Cómo conectar',
    networkHint: 'No se puede cambiar después.',
    badge: 'API oficial',
    connect: 'Conectar con la API oficial',
    replace: 'Cambiar el token',
    step1: 'En el panel de Meta, abre tu aplicación de WhatsApp y registra el número.',
    step2:
      'En la configuración del negocio, crea un token de un usuario del sistema, sin vencimiento, con los permisos whatsapp_business_messaging y whatsapp_business_management.',
    step3: 'Copia aquí los dos ids, el token y la clave secreta de la aplicación.',
    webhook: 'Webhook de Meta',
    webhookDone: 'Meta envía a esta dirección lo que ocurre con el número.',
    webhookByHand:
      'Meta no aceptó la dirección, que debe ser pública y https. Indica los dos valores en el panel de Meta, en WhatsApp → Configuración.',
    webhookUrl: 'URL de devolución de llamada',
    verifyToken: 'Token de verificación',
    templates: 'Plantillas',
    templatesText:
      'Fuera de las 24 horas después del último mensaje de la persona, solo se puede enviar una plantilla aprobada por Meta.',
    noTemplates: 'Todavía no hay plantillas.',
    noneApproved: 'No hay plantillas aprobadas. Crea una en la página de la instancia.',
    template: 'Plantilla',
    newTemplate: 'Nueva plantilla',
    outsideWindow:
      'La persona no escribe desde hace más de 24 horas. En la API oficial solo se puede enviar ahora una plantilla aprobada.',
    sendTemplate: 'Enviar plantilla',
    submit: 'Enviar para aprobación',
    deleteTemplate: 'Eliminar plantilla',
    deleteText: (name: string) =>
      `¿Eliminar ${name} en todos los idiomas? Meta no acepta otra con el mismo nombre durante 30 días.`,
    nameHint: 'Minúsculas, números y _',
    language: 'Idioma',
    category: 'Categoría',
    body: 'Texto',
    bodyHint: 'Escribe {{1}}, {{2}}… en lugar de lo que cambia.',
    variable: (number: number) => `Valor de {{${number}}}`,
    example: (number: number) => `Ejemplo para {{${number}}}`,
  },
  officialNetworks: {
    whatsapp: 'Un teléfono que lee un código QR',
    cloud_api: 'API oficial de Meta',
  },
  cloudFields: {
    phoneNumberId: 'Id del número',
    businessAccountId: 'Id de la cuenta de WhatsApp Business',
    accessToken: 'Token de acceso',
    appSecret: 'Clave secreta de la aplicación',
  },
  cloudHints: {
    phoneNumberId: 'En WhatsApp → Configuración de la API. No es el número de teléfono.',
    businessAccountId: 'En la misma página, también llamado WABA.',
    accessToken: 'Se guarda cifrado y no se vuelve a mostrar.',
    appSecret: 'En Configuración → Básica. Comprueba la firma de los webhooks de Meta.',
  },
  templateCategories: {
    UTILITY: 'Utilidad',
    MARKETING: 'Marketing',
    AUTHENTICATION: 'Autenticación',
  },
  templateVerdicts: {
    APPROVED: 'Aprobada',
    PENDING: 'En revisión',
    REJECTED: 'Rechazada',
    PAUSED: 'En pausa',
    DISABLED: 'Desactivada',
  },
}
