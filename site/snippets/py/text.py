import os

from recado import Recado

recado = Recado(os.environ["RECADO_KEY"])
message = recado.send_text(
    os.environ["INSTANCE"], to="+55 11 99999-8888", text="Seu pedido saiu para entrega."
)
print(message["id"], message["status"])
