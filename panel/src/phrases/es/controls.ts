import { plural } from '../plural.ts'
/** Controls that many pages use. */
export const controls = {
  newCampaign: {
    edit: 'Editar el borrador',
    noDraft: 'Esta campaña ya no es un borrador.',
    messageStays: 'El mensaje no cambia: la lista se revisó con él, o tiene un archivo.',
    noneConnected: 'Conecta una instancia para crear una campaña.',
    createDraft: 'Crear borrador',
    nameHint: 'Solo tú ves este nombre.',
    audience: 'Público',
    message: 'Mensaje',
    pace: 'Ritmo',
    from: 'Enviar desde',
    lines: (count: number) =>
      plural('es', count, { one: 'persona en la lista', other: 'personas en la lista' }),
    speed: 'Velocidad',
    careful: 'Cuidadoso',
    carefulText: 'De 20 a 45 s entre mensajes, 150 por día. Para números nuevos.',
    normal: 'Normal',
    normalText: 'De 8 a 25 s entre mensajes, 600 por día.',
    own: 'Personalizado',
    ownText: 'Tú defines los intervalos y el límite.',
    someDay: 'Elige al menos un día de la semana.',
    notColumns: (names: string) =>
      `${names}: la lista no tiene una columna con este nombre, y nadie recibiría el mensaje.`,
    previewHint: 'Elige un CSV para ver los primeros mensajes completos.',
    download: 'Descargar resultados (CSV)',
  },
  health: {
    failing: 'fallando',
    working: 'funcionando',
    unused: 'sin entregas',
  },
  views: {
    title: 'Vistas',
    save: 'Guardar esta vista',
    remove: (name: string) => `Eliminar la vista ${name}`,
  },
  table: {
    chosen: (count: number) => plural('es', count, { one: 'seleccionado', other: 'seleccionados' }),
    choose: 'Seleccionar',
    chooseAll: 'Seleccionar todos',
  },
  shell: {
    contacts: 'Contactos',
    userMenu: 'Empresa y usuario',
    theme: 'Tema',
    language: 'Idioma',
    sessions: 'Sesiones',
    search: 'Buscar',
  },
  picker: {
    choose: 'Elegir fecha y hora',
    clear: 'Borrar',
    past: 'Elige una hora futura.',
    needed: 'Elige el día y la hora.',
    timeOfDay: 'Hora',
    done: 'Listo',
  },
}
