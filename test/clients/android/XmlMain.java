import java.io.File;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;

/** Reads files of XML, and says of each that is none why. */
public final class XmlMain {
  public static void main(String[] files) throws Exception {
    DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
    builder.setErrorHandler(null);
    for (String file : files) {
      try {
        builder.parse(new File(file));
      } catch (org.xml.sax.SAXException wrong) {
        System.out.println(file + ": " + wrong.getMessage());
      }
    }
  }
}
