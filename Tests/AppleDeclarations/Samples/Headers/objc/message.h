// What C code of the SDK uses to send messages: a caller casts it to the message's own type.
#pragma once
extern void objc_msgSend(void);
