declare module 'pngjs' {
  export const PNG: {
    sync: { read(bytes: Buffer): { data: Buffer; width: number; height: number } }
  }
}
