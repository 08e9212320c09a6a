require "openssl"

def verify(secret, signature, body)
  expected = "sha256=" + OpenSSL::HMAC.hexdigest("SHA256", secret, body)
  OpenSSL.secure_compare(expected, signature)
end
