package pqexplore.spark;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.crypto.keytools.KeyToolkit;
import org.apache.parquet.crypto.keytools.KmsClient;

/** A key service for tests: its master keys come from parquet.encryption.key.list, as id:base64,id:base64. */
public class LocalKms implements KmsClient {
  private Map keys = new HashMap();

  public void initialize(Configuration conf, String instanceId, String instanceUrl, String accessToken) {
    String[] list = conf.getTrimmedStrings("parquet.encryption.key.list");
    for (int i = 0; i < list.length; i++) {
      int colon = list[i].indexOf(':');
      keys.put(list[i].substring(0, colon).trim(), Base64.getDecoder().decode(list[i].substring(colon + 1).trim()));
    }
  }

  private byte[] key(String id) {
    byte[] key = (byte[]) keys.get(id);
    if (key == null) throw new RuntimeException("no master key " + id);
    return key;
  }

  public String wrapKey(byte[] key, String id) {
    return KeyToolkit.encryptKeyLocally(key, key(id), id.getBytes(StandardCharsets.UTF_8));
  }

  public byte[] unwrapKey(String wrapped, String id) {
    return KeyToolkit.decryptKeyLocally(wrapped, key(id), id.getBytes(StandardCharsets.UTF_8));
  }
}
