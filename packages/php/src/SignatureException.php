<?php

declare(strict_types=1);

namespace Recado;

/** The signature, its headers or the time of a delivery is wrong: answer with 400 and ignore the body. */
final class SignatureException extends RecadoException
{
}
