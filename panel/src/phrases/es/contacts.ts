import { plural } from '../plural.ts'
/** Contacts, opt-outs and pairing links. */
export const contacts = {
  contacts: {
    identityChanged: 'Código de seguridad cambiado:',
    identityAdvice: 'Antes de hablar de dinero o contraseñas, confirma que es la persona.',
    text: 'Las personas que hablaron con este número o que importaste.',
    empty: 'Ningún contacto todavía. Aparecen cuando alguien escribe, y puedes importar una lista.',
    noneFound: 'No se encontró ningún contacto.',
    download: 'Descargar CSV',
    since: 'Desde',
    phoneColumn: 'telefono',
    nameColumn: 'nombre',
    search: 'Buscar nombre, número o campo',
    people: 'Personas',
    optOuts: 'No reciben campañas',
    save: 'Guardar',
    profile: (name: string) => `En su perfil: ${name}`,
    newField: 'Campo nuevo',
    fieldName: 'Campo',
    fieldValue: 'Valor',
    receives: 'Recibe campañas',
    samePerson: '¿Es la misma persona que otro contacto?',
    other: 'Otro contacto',
    merge: 'Unir contactos',
    mergeText: (one: string, other: string) =>
      `${one} y ${other} pasan a ser un solo contacto, con una sola conversación. No se puede deshacer.`,
    talk: 'Abrir conversación',
    importCsv: 'Importar CSV',
    importText:
      'La primera línea da nombre a las columnas: telefono, nombre y los campos que quieras, como barrio o documento. Los contactos que ya existen se actualizan.',
    file: 'Archivo CSV',
    read: (count: number) =>
      plural('es', count, {
        one: 'contacto leído. Revísalo antes de importar:',
        other: 'contactos leídos. Revisa los primeros antes de importar:',
      }),
    firstLines: 'Primeros contactos del archivo',
    fields: 'Campos',
    importAll: (count: number) =>
      `Importar ${plural('es', count, { one: 'contacto', other: 'contactos' })}`,
    imported: (count: number) =>
      plural('es', count, { one: 'contacto importado.', other: 'contactos importados.' }),
    progress: (done: number, all: number) => `${done} de ${all} contactos…`,
    refused: (count: number) =>
      plural('es', count, { one: 'línea quedó fuera:', other: 'líneas quedaron fuera:' }),
    repeated: (count: number) =>
      count === 1
        ? 'Una línea repite el número de otra: vale la última.'
        : `${count} líneas repiten el número de otra: vale la última.`,
    noNumber: 'sin número',
    lineWithout: (line: number, message: string) => `Línea ${line}: ${message}`,
    spreadsheet:
      'El archivo es una hoja de cálculo o un documento: guárdalo como CSV y elígelo de nuevo.',
    noLines: 'El archivo no tiene contactos: falta una columna con teléfonos.',
    addOptOuts: 'Agregar a la lista',
    optOutPhones: 'Teléfonos',
    optOutHint: 'Uno por línea, con código de país.',
    noOptOuts: 'Nadie pidió la baja. Quien responde SAIR a una campaña entra aquí automáticamente.',
    how: 'Cómo',
    includeAgain: 'Volver a incluir',
    includeAgainText: (phone: string) =>
      `${phone} vuelve a recibir campañas. Hazlo solo si la persona lo pidió.`,
    byReply: 'respondió a la campaña',
    byTeam: 'por el equipo',
  },
  pairLink: {
    title: (company: string) => `Conectar el WhatsApp de ${company}`,
    anyTitle: 'Conectar WhatsApp',
    done: (name: string) => `${name} está conectada.`,
    doneText: 'Ya puedes cerrar esta página. El celular no necesita quedar abierto.',
    samePhone: 'Estoy en el celular que se va a conectar',
    typeCode:
      'En WhatsApp, abre Dispositivos vinculados, toca Vincular con número de teléfono y escribe este código.',
    offer: 'Enviar un enlace a quien tiene el celular',
    offerText:
      'La persona abre el enlace, lee el código y conecta el número sin tener cuenta. El enlace vale 24 horas y un emparejamiento.',
    until: (when: string) => `Vale hasta ${when}.`,
    create: 'Crear enlace',
    another: 'Crear otro enlace',
    end: 'Terminar enlace',
  },
}
