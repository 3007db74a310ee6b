# The proof that a person may use a Carillon User id, for a back end in Ruby.
require "base64"
require "json"
require "openssl"

# Signs a proof for the person who is logged in; expires is in seconds since 1970, a day ahead at most.
def user_proof(identity_secret, app, user, expires)
  code = OpenSSL::HMAC.digest("SHA256", identity_secret, "#{app}\n#{user}\n#{expires}")
  { expires: expires, signature: Base64.urlsafe_encode64(code, padding: false) }
end

if $PROGRAM_NAME == __FILE__
  app, user, expires = ARGV
  expires = Integer(expires || Time.now.to_i + 3600)
  puts JSON.generate(user_proof(ENV.fetch("CARILLON_IDENTITY_SECRET"), app, user, expires))
end
