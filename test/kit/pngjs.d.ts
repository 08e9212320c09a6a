declare module 'pngjs' {
  type Image = { data: Buffer; width: number; height: number }
  export class PNG {
    constructor(size: { width: number; height: number })
    static sync: { read(bytes: Buffer): Image; write(image: PNG): Buffer }
  }
}
