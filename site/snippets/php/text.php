<?php
use Recado\Recado;

require 'vendor/autoload.php';

$recado = new Recado(getenv('RECADO_KEY'));
$message = $recado->sendText(getenv('INSTANCE'), '+55 11 99999-8888', 'Seu pedido saiu para entrega.');
echo $message['id'], ' ', $message['status'], "\n";
