#include <openssl/sha.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
